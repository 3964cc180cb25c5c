-- Letters: how texts are searched, and which of them people see.

-- The pairs of letters in the words of a text, once each. An index is over them: reindex groups_listed_words after a
-- change.
CREATE OR REPLACE FUNCTION letter_pairs(words text) RETURNS text[]
  LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN ARRAY(
    SELECT DISTINCT substr(w.word, n, 2)
    FROM regexp_split_to_table(lower(words), '\s+') w (word) CROSS JOIN generate_series(1, char_length(w.word) - 1) n);
END $$;

-- A line that people show one another, such as a name: without spaces around it and in Unicode's composed form. NULL if
-- that leaves nothing to see, or hides something: a control, a separator, a letter that is blank or turns text around,
-- or one for private use. Joiners stay: emoji and some scripts are spelt with them. The program has the same rule for
-- what people write themselves, in Sources/API/PlainText.swift; it also knows every accent, and what Unicode has not
-- assigned.
CREATE OR REPLACE FUNCTION plain_line(words text) RETURNS text
  LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = public, pg_temp AS $$
DECLARE
  line text := normalize(btrim(words), NFC);
  -- Controls, then spaces and separators, then formats, then blank letters, then private use and what is no letter.
  hidden text := '\u0001-\u001F\u007F-\u009F'
    '\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000'
    '\u00AD\u0600-\u0605\u061C\u06DD\u070F\u0890\u0891\u08E2\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F'
    '\uFEFF\uFFF0-\uFFFB\U000110BD\U000110CD\U00013430-\U0001343F\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A'
    '\U000E0000-\U000E001F\U000E0080-\U000E00FF'
    '\u115F\u1160\u2800\u3164\uFFA0'
    '\uE000-\uF8FF\uFDD0-\uFDEF\uFFFE\uFFFF\U000E01F0-\U0010FFFF';
  -- Spaces, accents, joiners, selectors and tags: a line of these alone is nothing to the eye.
  leaning text := ' \u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE20-\uFE2F'
    '\u17B4\u17B5\u180B-\u180F\u200C\u200D\uFE00-\uFE0F\U000E0000-\U000E0FFF';
BEGIN
  RETURN CASE WHEN line ~ format('[^%s]', leaning) AND line !~ format('[%s]', hidden) THEN line END;
END $$;
