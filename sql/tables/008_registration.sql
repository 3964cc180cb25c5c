-- Registration: who may come. An invitation is to a group or, without a group, to the service; such an invitation is made
-- by the operator. A registration keeps the invitation that came with it until the account is made.

-- Only functions read these columns. Both tables are small, so their rows are soon checked.
ALTER TABLE invitations
  -- squawk-ignore ban-drop-not-null
  ALTER COLUMN group_id DROP NOT NULL,                    -- none: to the service
  -- squawk-ignore ban-drop-not-null
  ALTER COLUMN created_by DROP NOT NULL,                  -- none: by the operator
  -- squawk-ignore constraint-missing-not-valid
  ADD CONSTRAINT invitations_of_group_or_service CHECK ((group_id IS NULL) = (created_by IS NULL));

ALTER TABLE auth_tokens
  ADD COLUMN invitation_id uuid,                          -- that came with the registration
  ADD COLUMN by_operator boolean NOT NULL DEFAULT false,  -- handed over by the operator, in any mode of registration
  -- squawk-ignore constraint-missing-not-valid
  ADD CONSTRAINT auth_tokens_invitation CHECK (invitation_id IS NULL OR purpose = 'registration');
