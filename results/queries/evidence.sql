-- Back ends of the latest campaign: how it is known that one is encrypted, and what lies below.
.mode column
.headers on
SELECT backend.name, backend.layer, backend.location, backend.encryption, backend.proof,
       backend.evidence, plain.name AS twin_of, backend.storage
FROM backend
LEFT JOIN backend AS plain ON plain.id = backend.twin_id
WHERE backend.campaign_id = (SELECT max(id) FROM campaign)
ORDER BY backend.id;
