/** The decision of the operator, and the words that it is made of. */
export { decide } from "./decide.ts";
export { isRecovering } from "./recovery.ts";
export { hasFormFailed, isFormRefused, targetVersion } from "./target.ts";
export { compareVersions, minorOf } from "./version.ts";
export { quorumOf, serialOf, viewOf } from "./view.ts";
export type { Member, View } from "./view.ts";
