-- The first month for which a group's admins can still announce rules.
ALTER TYPE group_summary ADD ATTRIBUTE new_rules_from date;
