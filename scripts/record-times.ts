/** Writes the times of test files from the output of a run: `npm run record-times -- LOG`. */
import { readFileSync } from "node:fs";
import { testFiles, toGroups } from "./test/files.ts";
import { groupName, recordTimes, timesOfLog } from "./test/times.ts";

const [log] = process.argv.slice(2);
if (log === undefined) throw new Error("name the file with the output of npm test: npm run record-times -- LOG");
const groups = toGroups(testFiles("unit", "package", "story")).map(groupName);
recordTimes(timesOfLog(readFileSync(log, "utf8")), groups);
