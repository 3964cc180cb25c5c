-- What a timer is started with.
SELECT;
