-- Keys: sign-ins that other programs use. A key has a name and may do only what its scopes say.

ALTER TABLE sign_ins
  ADD COLUMN name text,
  ADD COLUMN scopes text[],
  -- Both columns are new and empty.
  -- squawk-ignore constraint-missing-not-valid
  ADD CONSTRAINT sign_ins_name CHECK (
    (name IS NULL) = (scopes IS NULL) AND char_length(name) BETWEEN 1 AND 40 AND name !~ '[[:cntrl:]]'),
  -- squawk-ignore constraint-missing-not-valid
  ADD CONSTRAINT sign_ins_scopes CHECK (scopes IN ('{read}', '{read,record}'));
