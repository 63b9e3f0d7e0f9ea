/** The operator: the kind `MariaDB` and its controllers. */
import { operator } from "capstan";
import type { Operator } from "capstan";
import { stateful } from "capstan/stateful";
import type { Environment } from "capstan/stateful";
import { mariadb } from "./adapter.ts";

/** Clocks, randomness and network are passed in. */
export function mariadbOperator(environment: Environment): Operator {
  const { controllers } = stateful(mariadb, { group: "mariadb.capstan.dev", kind: "MariaDB", environment });
  return operator({ name: "mariadb-operator", controllers });
}
