/** The operator as a program: `node src/main.ts --help`. In backup pods the same program is the agent. */
import { runJobOfPod } from "capstan/stateful/parts";
import { agentImageIn } from "./agent-image.ts";
import { JOB_VARIABLE } from "./backup/agent/job.ts";
import { runJob } from "./backup/agent/run-job.ts";
import { connectEtcd } from "./etcd/index.ts";
import { etcdOperator } from "./operator.ts";

if (!(await runJobOfPod({ variable: JOB_VARIABLE, run: runJob }))) await runOperator();

async function runOperator(): Promise<void> {
  const clocks = { now: (): number => Date.now(), steady: (): number => performance.now() };
  await etcdOperator({ connect: connectEtcd, ...clocks, agentImage: agentImageIn(process.env) }).run();
}
