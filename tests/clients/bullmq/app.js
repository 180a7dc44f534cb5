// What a service built on BullMQ does; run by ./run, which says how its output is used.
'use strict';
const { close } = require('./kit.js');

const parts = ['./jobs.js', './priorities.js', './timing.js', './flows.js', './limits.js', './recovery.js'];

async function main() {
  for (const part of parts) {
    for (const [name, step] of Object.entries(require(part))) {
      const started = Date.now();
      await step();
      await close();
      if (process.env.RUNG_TIMES) console.error(part, name, Date.now() - started, 'ms');
    }
  }
}

main().then(
  () => process.exit(0),
  (error) => {
    console.log(error.stack);
    process.exit(1);
  },
);
