/** The operator as a program: `node src/main.ts --help`. In backup pods the same program is the agent. */
import { randomBytes } from "node:crypto";
import { agentImageFrom, runAsAgent } from "capstan/stateful";
import { mariadb } from "./adapter.ts";
import { mariadbOperator } from "./operator.ts";

export { monitoring } from "./operator.ts";

if (!(await runAsAgent(mariadb))) {
  await mariadbOperator({
    now: () => Date.now(),
    steady: () => performance.now(),
    randomText: () => randomBytes(24).toString("hex"),
    agentImage: agentImageFrom(process.env),
  }).run();
}
