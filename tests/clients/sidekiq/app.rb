# What a service built on Sidekiq does; run by ./run, which says how its output is used.
require_relative 'jobs'
require 'json'
require 'sidekiq/web'
require 'rack/mock'

$stdout.sync = true

def say(*words)
  puts words.map { |word| JSON.generate(word) }.join(' ')
end

def wait_for(what)
  deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 30
  loop do
    found = yield
    return found if found
    raise "waited in vain: #{what}" if Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline
    sleep 0.02
  end
end

def redis(&block) = Sidekiq.redis(&block)

def traced(count)
  wait_for("#{count} traces") { redis { |r| r.llen('trace') } == count }
  redis { |r| r.multi { |all| all.lrange('trace', 0, -1); all.del('trace') } }.first
end

# A Sidekiq process for the time of the block; ended by the signal.
def server(*options, signal: 'KILL')
  out = ENV['RUNG_LOUD'] ? $stderr : File::NULL
  pid = Process.spawn('sidekiq', '-r', File.join(__dir__, 'jobs.rb'), '-t', '1', *options, out: out, err: out)
  yield pid
ensure
  Process.kill(signal, pid)
  Process.wait(pid)
end

def queues
  Note.perform_async('first')
  Note.set(queue: 'high').perform_async('high')
  ids = Sidekiq::Client.push_bulk('class' => Note, 'args' => [['bulk 1'], ['bulk 2'], ['bulk 3']])
  say('queues', Sidekiq::Queue.all.map { |queue| [queue.name, queue.size] }.sort, ids.size)
  queue = Sidekiq::Queue.new
  say('jobs', queue.map { |job| [job.klass, job.args, job.queue] }, queue.latency < 60, queue.find_job(ids[1]).args)
  say('deleted', queue.find_job(ids[1]).delete, queue.size)
  # Ended gently, since a process counts what it has done with its heartbeat and at its end.
  server('-c', '1', '-q', 'high', '-q', 'default', signal: 'TERM') { say('order', traced(4)) }
  say('unicode', begin
    Note.perform_async("é 漢字 \u0000 \r\n")
    server('-c', '1', signal: 'TERM') { break traced(1) }
  end)
  say('stats', Sidekiq::Stats.new.then { |stats| [stats.processed, stats.failed, stats.enqueued] })
end

def retries
  Shaky.perform_async('twice', 2)
  Hopeless.perform_async('one')
  Hopeless.perform_async('two')
  Hopeless.set(retry: false).perform_async('forgotten')
  server('-c', '2', '-q', 'high', '-q', 'default') do
    retried = wait_for('a retry') { Sidekiq::RetrySet.new.first }
    say('retry', retried.klass, retried['error_message'], retried['error_class'], retried['retry_count'], retried.at > Time.now - 5)
    wait_for('two retries') do
      Sidekiq::RetrySet.new.each(&:retry)
      redis { |r| r.llen('trace') } == 1
    end
    say('tries', traced(1), redis { |r| r.get('twice') })
    wait_for('the dead') { Sidekiq::DeadSet.new.size == 2 }
  end
  say('dead', Sidekiq::DeadSet.new.map { |job| job.args.first }.sort, Sidekiq::RetrySet.new.size)
  Sidekiq::DeadSet.new.first.retry
  say('put again', Sidekiq::DeadSet.new.size, Sidekiq::Queue.new('high').size)
  Sidekiq::DeadSet.new.clear
  Sidekiq::Queue.new('high').clear
end

def schedule
  start = Time.now
  Note.perform_in(1.2, 'second')
  Note.perform_at(start + 0.4, 'first')
  Note.perform_in(3600, 'tomorrow')
  set = Sidekiq::ScheduledSet.new
  say('scheduled', set.size, set.map { |job| job.args.first }, set.first.score > start.to_f, set.scan('tomorrow').map { |job| job.args.first })
  server('-c', '1') { say('order', traced(2), Time.now - start >= 1.2) }
  say('left', set.map { |job| job.args.first }, set.first.reschedule(Time.now + 7200).positive?, set.first.at > Time.now + 7000, set.clear, set.size)
end

def many
  Sidekiq::Client.push_bulk('class' => Note, 'args' => (1..500).map { |number| [number.to_s] })
  server('-c', '10', signal: 'TERM') do |pid|
    words = traced(500)
    say('each once', words.uniq.size, Sidekiq::Queue.new.size)
    process = wait_for('the heartbeat') { Sidekiq::ProcessSet.new.find { |each| each['pid'] == pid } }
    say('process', process['concurrency'], process['queues'], process.identity.include?(pid.to_s))
    process.quiet!
    say('quiet', wait_for('quiet') { Sidekiq::ProcessSet.new.any? { |each| each['pid'] == pid && each.stopping? } })
    @pid = pid
  end
  say('gone', Sidekiq::ProcessSet.new.none? { |each| each['pid'] == @pid })
end

# A job that is too slow for the shutdown goes back; one whose process is killed is lost, as Sidekiq promises no more.
def interrupted
  Slow.perform_async
  server('-c', '1', '-q', 'slow', signal: 'TERM') { wait_for('the slow job') { redis { |r| r.get('slow started') } } }
  say('pushed back', Sidekiq::Queue.new('slow').size)
  server('-c', '1', '-q', 'slow') { say('done', traced(1), redis { |r| r.get('slow runs') }) }
  redis { |r| r.del('slow runs', 'slow started') }
  Slow.perform_async
  server('-c', '1', '-q', 'slow') { wait_for('the slow job') { redis { |r| r.get('slow started') } } }
  say('killed', Sidekiq::Queue.new('slow').size)
end

# The board, asked as a browser would.
def board
  Note.perform_async('<b>shown</b>')
  Note.perform_in(3600, 'later')
  Sidekiq::RetrySet.new.schedule(Time.now.to_f + 3600, { 'class' => 'Note', 'args' => ['r'], 'jid' => 'j1', 'queue' => 'default', 'created_at' => 1.5,
    'failed_at' => 2.5, 'error_class' => 'E', 'error_message' => 'm', 'retry_count' => 1 })
  browser = Rack::MockRequest.new(Sidekiq::Web)
  say('pages', %w[/ /busy /queues /queues/default /scheduled /retries /morgue].map { |page| [page, browser.get(page, 'rack.session' => {}).status] })
  page = browser.get('/queues/default', 'rack.session' => {}).body
  say('queue page', page.include?('&lt;b&gt;shown'), page.include?('Note'))
  stats = JSON.parse(browser.get('/stats', 'rack.session' => {}).body)
  say('stats', stats['sidekiq'].slice('scheduled', 'retries', 'enqueued', 'dead'), stats['redis'].keys.sort)
  say('queue sizes', JSON.parse(browser.get('/stats/queues', 'rack.session' => {}).body))
end

queues
retries
schedule
many
interrupted
board
