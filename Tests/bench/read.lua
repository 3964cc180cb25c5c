-- wrk: the same path for the next of the people, every time. Arguments: a file with tokens, the path, the
-- method if it is not GET.
local threads = 0
function setup(thread)
  thread:set("number", threads)
  threads = threads + 1
end

function init(args)
  requests = {}
  for token in io.lines(args[1]) do
    requests[#requests + 1] = wrk.format(args[3] or "GET", args[2], { ["Authorization"] = "Bearer " .. token })
  end
  turn = number
end

function request()
  turn = turn % #requests + 1
  return requests[turn]
end

function done(summary, latency, requests)
  io.write(string.format("FAILED %d\n", summary.errors.status + summary.errors.connect + summary.errors.read
    + summary.errors.write + summary.errors.timeout))
end
