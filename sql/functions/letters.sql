-- Letters: how texts are searched.

-- The pairs of letters in the words of a text, once each. An index is over them: reindex groups_listed_words after a
-- change.
CREATE OR REPLACE FUNCTION letter_pairs(words text) RETURNS text[]
  LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN ARRAY(
    SELECT DISTINCT substr(w.word, n, 2)
    FROM regexp_split_to_table(lower(words), '\s+') w (word) CROSS JOIN generate_series(1, char_length(w.word) - 1) n);
END $$;
