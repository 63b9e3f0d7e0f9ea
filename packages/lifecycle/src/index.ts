/** Installs, upgrades and removes operators with the API kinds of the Operator Lifecycle Manager. */
export type {
  CatalogReference,
  CatalogSnapshot,
  Conflict,
  InstalledOperator,
  RequestedSubscription,
  ResolutionInput,
  ResolutionResult,
  Selection,
} from "./resolve/resolution.ts";
export { generatedSubscriptionName, resolve } from "./resolve/resolve.ts";
