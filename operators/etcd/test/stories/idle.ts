/** Controllers that do nothing, so that the kinds of other stories exist. */
import { controller } from "capstan";
import { EtcdBackup, EtcdRestore } from "../../src/kinds/index.ts";

export const idleControllers = [
  controller(EtcdBackup, {}, () => undefined),
  controller(EtcdRestore, {}, () => undefined),
];
