/** The operator: the kind `MariaDB` and its controllers. */
import { operator } from "capstan";
import type { Operator } from "capstan";
import { monitoringOf, stateful } from "capstan/stateful";
import type { Environment, Monitoring } from "capstan/stateful";
import { mariadb } from "./adapter.ts";

/** Alert rules, dashboard and runbook of MariaDB clusters: `capstan generate alerts`, `dashboards`, `runbook`. */
export const monitoring: Monitoring = monitoringOf(mariadb, { kind: "MariaDB" });

/** Clocks, randomness and network are passed in. */
export function mariadbOperator(environment: Environment): Operator {
  const { controllers } = stateful(mariadb, { group: "mariadb.capstan.dev", kind: "MariaDB", environment });
  return operator({ name: "mariadb-operator", controllers });
}
