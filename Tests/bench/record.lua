-- wrk: each request logs the next free second of the next user, so that no two ever overlap.
local threads = 0
function setup(thread)
  thread:set("number", threads)
  threads = threads + 1
end

function init(args)
  local users, first, prefix = args[1], tonumber(args[2]), args[3]
  tokens, at = {}, {}
  local index = 0
  for token in io.lines(users) do
    if index % 2 == number then tokens[#tokens + 1] = token end
    index = index + 1
  end
  for i = 1, #tokens do at[i] = first end
  turn = 0
end

function request()
  turn = turn % #tokens + 1
  local from = at[turn]
  at[turn] = from + 2
  local body = '{"started_at":"' .. os.date("!%Y-%m-%dT%H:%M:%SZ", from) ..
    '","ended_at":"' .. os.date("!%Y-%m-%dT%H:%M:%SZ", from + 1) .. '"}'
  return wrk.format("POST", "/api/v1/me/sessions",
    { ["Authorization"] = "Bearer " .. tokens[turn], ["Content-Type"] = "application/json" }, body)
end

-- Anything but a success would make the figure worthless.
function done(summary, latency, requests)
  io.write(string.format("FAILED %d\n", summary.errors.status + summary.errors.connect + summary.errors.read
    + summary.errors.write + summary.errors.timeout))
end
