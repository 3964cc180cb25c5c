-- wrk: each request logs the next free second of the next person, so that no two ever overlap. Arguments: a file with
-- tokens, the path, the first second.
local threads = 0
function setup(thread)
  thread:set("number", threads)
  threads = threads + 1
end

function init(args)
  tokens, at = {}, {}
  local index, first = 0, tonumber(args[3])
  for token in io.open(args[1]):read("*a"):gmatch("(%S+) %S+") do
    if index % 2 == number then
      tokens[#tokens + 1] = token
      at[#at + 1] = first
    end
    index = index + 1
  end
  path, turn = args[2], 0
end

function request()
  turn = turn % #tokens + 1
  local from = at[turn]
  at[turn] = from + 2
  local body = '{"started_at":"' .. os.date("!%Y-%m-%dT%H:%M:%SZ", from) ..
    '","ended_at":"' .. os.date("!%Y-%m-%dT%H:%M:%SZ", from + 1) .. '"}'
  return wrk.format("POST", path, { ["Authorization"] = "Bearer " .. tokens[turn], ["Content-Type"] = "application/json" }, body)
end

-- Any failure would make the figure worthless.
function done(summary, latency, requests)
  io.write(string.format("FAILED %d\n", summary.errors.status + summary.errors.connect + summary.errors.read
    + summary.errors.write + summary.errors.timeout))
end
