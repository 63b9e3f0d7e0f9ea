/** The decision of the operator, and helpers around it. */
export { decide } from "./decide.ts";
export { isRecovering } from "./recovery.ts";
export { hasTemplateFailed, isTemplateRejected, targetVersion } from "./target-version.ts";
export { compareVersions, minorOf } from "./version.ts";
export { quorumOf, serialOf, viewOf } from "./view.ts";
export type { Member, View } from "./view.ts";
