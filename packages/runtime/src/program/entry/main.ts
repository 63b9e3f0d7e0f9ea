/** Checks which program the process was started with. */
import { isMain } from "../loading.ts";
import type { ModuleFacts } from "../loading.ts";

/** Whether a module is the program of this process. */
export function isProgram(module: ModuleFacts): boolean {
  return isMain(module, process.argv[1]);
}
