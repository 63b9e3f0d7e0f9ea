/** The MariaDB operator: the operator for embedding in another program, and its adapter. */
export { mariadb } from "./adapter.ts";
export { mariadbOperator } from "./operator.ts";
