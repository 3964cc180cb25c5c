-- wrk: the timers of all people, which run, are paused one after the other, then resumed, then paused again. There are so
-- many people that each has had the last answer long before the next request. Arguments: a file with tokens, the path.
local threads = 0
function setup(thread)
  thread:set("number", threads)
  threads = threads + 1
end

function init(args)
  pauses, resumptions = {}, {}
  local index = 0
  for token in io.open(args[1]):read("*a"):gmatch("(%S+) %S+") do
    if index % 2 == number then
      local headers = { ["Authorization"] = "Bearer " .. token, ["Content-Type"] = "application/json" }
      pauses[#pauses + 1] = wrk.format("POST", args[2] .. "/pause", headers, "{}")
      resumptions[#resumptions + 1] = wrk.format("POST", args[2] .. "/resume", headers, "{}")
    end
    index = index + 1
  end
  turn, requests = 0, pauses
  trial = number == 0
end

function request()
  if trial then -- wrk calls this once in the first thread and does not send the request.
    trial = false
    return pauses[1]
  end
  turn = turn + 1
  if turn > #requests then
    turn, requests = 1, requests == pauses and resumptions or pauses
  end
  return requests[turn]
end

function done(summary, latency, requests)
  io.write(string.format("FAILED %d\n", summary.errors.status + summary.errors.connect + summary.errors.read
    + summary.errors.write + summary.errors.timeout))
end
