-- Profile pictures: who may see them.

-- The pictures that members show to a group. One who shows only their name there, or hides, shows no picture either.
CREATE OR REPLACE VIEW shown_avatars AS
  SELECT m.group_id, a.uid, a.version
  FROM group_members m JOIN avatars a USING (uid)
  WHERE m.visibility = 'shown';

-- Whether a user may see another's picture: their own, one that is shown to a group of theirs, and on the global board
-- those of all others on it.
CREATE OR REPLACE FUNCTION may_see_avatar(viewer_id uuid, user_id uuid) RETURNS boolean
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN viewer_id = user_id
    OR EXISTS (SELECT FROM shown_avatars s JOIN group_members m ON m.group_id = s.group_id AND m.uid = viewer_id
               WHERE s.uid = user_id)
    OR (SELECT count(*) = 2 FROM users u WHERE u.uid IN (viewer_id, user_id) AND belongs_on_global_board(u));
END $$;
