-- Devices: through which provider a sign-in came.

-- The provider's name in the configuration, such as google; none for a password.
ALTER TABLE sign_ins ADD COLUMN provider text;
