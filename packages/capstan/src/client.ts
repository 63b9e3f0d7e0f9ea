/** One API server, for what an operator or a script does beside reconciling: typed calls, logs, exec, ports. */
export {
  allNamespaces,
  ApiError,
  ConfigError,
  ConnectionError,
  createClient,
  ForbiddenError,
  inClusterConfig,
  inProcess,
  isApiError,
  jsonPatchBetween,
  loadConfig,
  mergePatchBetween,
  processHost,
} from "@capstan/client";
export type {
  ApiErrorCode,
  Client,
  ClientOptions,
  ClusterConfig,
  ConnectionErrorCode,
  Host,
  LoadOptions,
} from "@capstan/client";
