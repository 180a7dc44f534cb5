// Takes a job, says so, and never ends it: recovery.js kills this process.
'use strict';
const { worker } = require('./kit.js');

worker(
  process.argv[2],
  async (job) => {
    console.log(job.name);
    await new Promise(() => {});
  },
  { lockDuration: 700, stalledInterval: 300 },
);
