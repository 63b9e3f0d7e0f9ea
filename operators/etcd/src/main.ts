/** The operator as a program: `node src/main.ts --help`. */
import { connectEtcd } from "./etcd/index.ts";
import { etcdOperator } from "./operator.ts";

await etcdOperator({ connect: connectEtcd, now: () => Date.now() }).run();
