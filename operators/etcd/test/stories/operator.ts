/**
 * The operator as the stories run it: a separate process that reaches members through a forwarder, so that it can be killed and cut off.
 */
import { connectEtcd } from "../../src/etcd/index.ts";
import { etcdOperator } from "../../src/operator.ts";
import { dialThrough } from "./forwarder.ts";

/** The image that the backup stories build. */
const AGENT_IMAGE = process.env["ETCD_OPERATOR_IMAGE"] ?? "capstan.test/etcd-operator:1";
const dial = dialThrough(process.env["ETCD_OPERATOR_SOCKET"] ?? "");
const clocks = { now: (): number => Date.now(), steady: (): number => performance.now() };
await etcdOperator({ connect: connectEtcd, dial, ...clocks, agentImage: AGENT_IMAGE }).run();
