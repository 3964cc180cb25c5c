"""What the service tells those who watch it run."""

from study_clock import utc

NAMES = (
    "mails_waiting, oldest_mail_seconds, overdue_mail_seconds, pushes_waiting, overdue_push_seconds,"
    " webhooks_waiting, oldest_webhook_seconds, overdue_webhook_seconds, timers_running, timers_paused, rank_changes_waiting, rank_lag_seconds, months_due, backup_age_seconds"
)


def figures(schema):
    """Every figure but those that are 0."""
    [row] = schema.rows(f"SELECT {NAMES} FROM service_figures()")
    return {name: value for name, value in zip(NAMES.split(", "), row, strict=True) if value}


def later(schema, seconds):
    schema.set_clock(schema.now + seconds)


def test_all_figures_are_zero_when_nothing_has_happened(schema):
    assert figures(schema) == {}


def test_a_mail_waits_until_it_is_sent_or_given_up(schema):
    for name in ("a", "b", "c"):
        schema.rows("SELECT enqueue_mail('registration', %s, '{}')", f"{name}@example.org")
    later(schema, 90)
    assert figures(schema) == {"mails_waiting": 3, "oldest_mail_seconds": 90, "overdue_mail_seconds": 90}
    # One is on its way, and one is tried again in a minute.
    schema.connection.execute("UPDATE mail_outbox SET lease_until = %s WHERE to_address ~ '^a'", [utc(schema.now + 30)])
    schema.connection.execute("UPDATE mail_outbox SET due = %s WHERE to_address ~ '^b'", [utc(schema.now + 60)])
    schema.connection.execute("UPDATE mail_outbox SET dead_at = anthill_clock() WHERE to_address ~ '^c'")
    assert figures(schema) == {"mails_waiting": 2, "oldest_mail_seconds": 90}
    # Its lease has run out: who sent it is gone.
    later(schema, 31)
    assert figures(schema) == {"mails_waiting": 2, "oldest_mail_seconds": 121, "overdue_mail_seconds": 121}
    schema.connection.execute("UPDATE mail_outbox SET sent_at = anthill_clock() WHERE dead_at IS NULL")
    assert figures(schema) == {}


def test_a_message_to_a_webhook_waits_until_it_is_told_or_given_up(schema):
    owner = schema.user()
    group = schema.value("SELECT create_group(%s, 'Owls')", owner)
    hooks = [schema.value("SELECT gen_random_uuid()") for _ in range(2)]
    for hook in hooks:
        schema.rows("SELECT add_webhook(%s, %s, %s, 'json', '{new_member}', 'hooks.example', 'sealed', 'en')", owner, group, hook)
        for _ in range(2):
            schema.connection.execute("INSERT INTO webhook_deliveries (group_id, webhook, event) VALUES (%s, %s, 'test')", [group, hook])
    later(schema, 90)
    assert figures(schema) == {"webhooks_waiting": 4, "oldest_webhook_seconds": 90, "overdue_webhook_seconds": 90}
    # One message to each is on its way, and the one behind it waits for its turn.
    schema.rows("SELECT * FROM claim_webhooks(10, '40 seconds')")
    assert figures(schema) == {"webhooks_waiting": 4, "oldest_webhook_seconds": 90}
    # Both leases have run out: who sent them is gone.
    later(schema, 41)
    assert figures(schema) == {"webhooks_waiting": 4, "oldest_webhook_seconds": 131, "overdue_webhook_seconds": 131}
    schema.connection.execute("UPDATE webhook_deliveries SET due = %s WHERE webhook = %s", [utc(schema.now + 60), hooks[0]])
    schema.connection.execute("UPDATE webhook_deliveries SET sent_at = anthill_clock() WHERE webhook = %s", [hooks[1]])
    assert figures(schema) == {"webhooks_waiting": 2, "oldest_webhook_seconds": 131}
    schema.connection.execute("UPDATE webhook_deliveries SET dead_at = anthill_clock() WHERE sent_at IS NULL")
    assert figures(schema) == {}


def test_timers_run_pause_and_end(schema):
    users = [schema.user() for _ in range(3)]
    for user in users:
        schema.rows("SELECT start_timer(%s)", user)
    later(schema, 600)
    schema.rows("SELECT pause_timer(%s)", users[0])
    assert figures(schema) == {"timers_running": 2, "timers_paused": 1}
    for user in users:
        schema.rows("SELECT stop_timer(%s)", user)
    assert figures(schema) == {}


def test_the_lag_of_the_global_board_is_the_age_of_the_oldest_change_to_the_minute(schema):
    user = schema.user()
    schema.rows("SELECT set_global_board(%s, true)", user)
    schema.rows("SELECT forget_changes()")
    schema.rows("SELECT record_timed(%s, %s, %s)", user, utc(schema.now - 600), utc(schema.now))
    # No note lies behind the change yet. (It is one of a day, a week and a month.)
    assert figures(schema) == {"rank_changes_waiting": 3}
    for _ in range(3):
        later(schema, 60)
        schema.rows("SELECT forget_changes()")
    assert figures(schema) == {"rank_changes_waiting": 3, "rank_lag_seconds": 120}
    schema.rows("SELECT record_timed(%s, %s, %s)", user, utc(schema.now - 60), utc(schema.now))
    assert figures(schema) == {"rank_changes_waiting": 6, "rank_lag_seconds": 120}
    assert schema.value("SELECT fold_rank_deltas()") == 6
    assert figures(schema) == {}


def test_a_month_is_due_from_the_end_of_its_grace_period_until_it_is_closed(schema):
    group = schema.value("SELECT create_group(%s, 'G')", schema.user())
    schema.rows("SELECT months_due()")
    [[month, closes_at]] = schema.rows("SELECT open_month, open_month_closes_at FROM groups")
    due = int(closes_at.timestamp())
    schema.set_clock(due - 1)
    assert figures(schema) == {}
    schema.set_clock(due)
    assert figures(schema) == {"months_due": 1}
    schema.rows("SELECT lock_to_close(%s, %s)", group, month)
    assert schema.value("SELECT close_month(%s, %s)", group, month)
    assert figures(schema) == {}


def test_asking_is_possible_where_nothing_may_be_written(schema):
    with schema.connection.transaction():
        schema.connection.execute("SET TRANSACTION READ ONLY")
        assert figures(schema) == {}


def test_a_push_waits_until_it_is_sent(schema):
    user = schema.user()
    sign_in = schema.value(
        "INSERT INTO sign_ins (uid, token_mac, auth_epoch, expires_at) VALUES (%s, %s, 1, anthill_clock() + interval '1 day') RETURNING id",
        user, bytes(32))  # fmt: skip
    schema.rows("SELECT add_push_subscription(%s, %s, 'https://push.example/', %s, %s)", user, sign_in, b"\4" + bytes(64), bytes(16))
    schema.rows("SELECT enqueue_push(%s, 'timer', 'timer', anthill_clock() + interval '1 hour')", user)
    later(schema, 90)
    assert figures(schema) == {"pushes_waiting": 1, "overdue_push_seconds": 90}
    schema.rows("SELECT claim_pushes(1, '40 s')")
    assert figures(schema) == {"pushes_waiting": 1}
    later(schema, 41)
    assert figures(schema) == {"pushes_waiting": 1, "overdue_push_seconds": 131}


def test_a_backup_grows_old_until_the_next_one(schema):
    assert schema.value("SELECT backup_age_seconds FROM service_figures()") is None
    schema.rows("SELECT admin_note_backup('/backups/a', 5, true, 'root')")
    later(schema, 90)
    assert figures(schema) == {"backup_age_seconds": 90}
    schema.rows("SELECT admin_note_backup('/backups/b', 5, true, 'root')")
    assert figures(schema) == {}
