-- Export and import.
SELECT;
