/** The operator as a program: `node src/main.ts --help`. */
import { randomBytes } from "node:crypto";
import { mariadbOperator } from "./operator.ts";

await mariadbOperator({
  now: () => Date.now(),
  steady: () => performance.now(),
  randomText: () => randomBytes(24).toString("hex"),
}).run();
