-- How many ask to join a group, for its admins.
ALTER TYPE group_summary ADD ATTRIBUTE open_join_requests integer;
