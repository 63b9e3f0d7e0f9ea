/** Repeats properties as they failed: `CAPSTAN_SEED` is the seed of every property in a test process, which is random otherwise. */
import fc from "fast-check";

const { CAPSTAN_SEED: text } = process.env;
const seed = Number(text);
if (text === undefined || text === "" || !Number.isInteger(seed))
  throw new Error(`CAPSTAN_SEED is ${JSON.stringify(text)}: write the seed that the failure names`);
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
