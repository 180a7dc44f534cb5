# The workers of app.rb, and how Sidekiq reaches the server; loaded by both sides.
require 'redis'
Redis.silence_deprecations = true
Redis.sadd_returns_boolean = false
require 'sidekiq'
require 'sidekiq/api'

URL = "redis://127.0.0.1:#{ENV.fetch('RUNG_PORT')}/1"
Sidekiq.configure_client { |config| config.redis = { url: URL } }
Sidekiq.configure_server do |config|
  config.redis = { url: URL }
  config.average_scheduled_poll_interval = 0.3
  config.options[:poll_interval_average] = 0.3
end
Sidekiq.logger.level = Logger::FATAL

def trace(word)
  Sidekiq.redis { |redis| redis.rpush('trace', word) }
end

class Note
  include Sidekiq::Worker
  def perform(word)
    trace(word)
  end
end

class Shaky
  include Sidekiq::Worker
  sidekiq_options retry: 3
  def perform(key, fails)
    count = Sidekiq.redis { |redis| redis.incr(key) }
    raise ArgumentError, "try #{count}" if count <= fails
    trace("#{key} after #{count}")
  end
end

class Hopeless
  include Sidekiq::Worker
  sidekiq_options retry: 0, queue: 'high'
  def perform(word)
    raise ArgumentError, word
  end
end

class Slow
  include Sidekiq::Worker
  sidekiq_options queue: 'slow'
  def perform
    Sidekiq.redis { |redis| redis.set('slow started', 1) }
    Sidekiq.redis { |redis| redis.incr('slow runs') } > 1 ? trace('slow done') : sleep(60)
  end
end
