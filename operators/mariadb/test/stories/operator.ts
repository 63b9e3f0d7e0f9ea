/** The operator as the stories run it: a separate process that reaches members through a forwarder, so that it can be killed. */
import { randomBytes } from "node:crypto";
import { mariadbOperator } from "../../src/operator.ts";
import { dialThrough } from "./forwarder.ts";
import { OPERATOR_IMAGE } from "./images.ts";

await mariadbOperator({
  now: () => Date.now(),
  steady: () => performance.now(),
  randomText: () => randomBytes(24).toString("hex"),
  agentImage: OPERATOR_IMAGE,
  dial: dialThrough(process.env["MARIADB_OPERATOR_SOCKET"] ?? ""),
}).run();
