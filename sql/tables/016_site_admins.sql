-- Site admins: who looks after the whole service on its pages.

CREATE TABLE site_admins (
  uid uuid CONSTRAINT site_admins_key PRIMARY KEY CONSTRAINT site_admins_user REFERENCES users ON DELETE CASCADE,
  since timestamptz NOT NULL DEFAULT anthill_clock()
);
