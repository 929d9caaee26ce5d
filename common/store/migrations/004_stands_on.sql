-- Schema 4: what a back end lies on, so that a ladder compares layers that stand on one another.

ALTER TABLE backend ADD COLUMN stands_on TEXT; -- name of a back end of a lower layer; NULL: not declared
