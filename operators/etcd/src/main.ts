/** The operator as a program: `node src/main.ts --help`. In backup pods the same program is the agent. */
import { agentImageFrom } from "./agent-image.ts";
import { runAgent } from "./backup/agent/main.ts";
import { AGENT_ARGUMENT } from "./backup/index.ts";
import { connectEtcd } from "./etcd/index.ts";
import { etcdOperator } from "./operator.ts";

if (process.argv[2] === AGENT_ARGUMENT) await runAgent();
else await runOperator();

async function runOperator(): Promise<void> {
  const clocks = { now: (): number => Date.now(), steady: (): number => performance.now() };
  await etcdOperator({ connect: connectEtcd, ...clocks, agentImage: agentImageFrom(process.env) }).run();
}
