-- Profile pictures: each was decoded and made anew by the program, which keeps nothing else of what was uploaded.

CREATE TABLE avatars (
  uid uuid CONSTRAINT avatars_key PRIMARY KEY CONSTRAINT avatars_user REFERENCES users ON DELETE CASCADE,
  webp bytea NOT NULL
    CONSTRAINT avatars_webp CHECK (
      octet_length(webp) <= most_avatar_bytes() AND substr(webp, 1, 4) = 'RIFF' AND substr(webp, 9, 4) = 'WEBP'),
  -- Made of the content's digest, and part of the picture's address: what is at an address never changes.
  version uuid NOT NULL GENERATED ALWAYS AS (encode(substr(sha256(webp), 1, 16), 'hex')::uuid) STORED,
  changed_at timestamptz NOT NULL DEFAULT anthill_clock()
);
-- It is compressed already. Kept outside, it is not read where only its version is asked for.
ALTER TABLE avatars ALTER COLUMN webp SET STORAGE EXTERNAL;
