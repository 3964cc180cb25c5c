-- Whether somebody was hidden when their account was deleted. They stay hidden in closed months.
ALTER TABLE standings ADD hidden boolean NOT NULL DEFAULT false;
