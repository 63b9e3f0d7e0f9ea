/** A client for one API server over one connection. */
export { createClient } from "./client.ts";
export type { Client, ClientOptions } from "./client.ts";
export type {
  ApplyOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  FieldValidation,
  GetOptions,
  ListOptions,
  PropagationPolicy,
  SelectOptions,
  WatchOptions,
  WriteOptions,
} from "./call/options.ts";
export type { Listing, ReadCalls } from "./call/read.ts";
export { metadataOnly } from "./call/representation.ts";
export type { PartialObjectMetadata } from "./call/representation.ts";
export { defaultRetry, noRetry } from "./call/retry.ts";
export type { RetryPolicy } from "./call/retry.ts";
export type { CallOptions, SentRequest } from "./call/send.ts";
export type { NamespacedTarget, Scale, SubresourceCalls, TokenRequest } from "./call/subresource.ts";
export { allNamespaces } from "./call/target.ts";
export type { AnyKind, Applied, InNamespace, Replaced, Sent, Target } from "./call/target.ts";
export type { ApiWarning } from "./call/warnings.ts";
export type { JsonPatchStep, Patch, WriteCalls } from "./call/write.ts";
export { jsonPatchBetween, mergePatchBetween } from "./call/patch-between.ts";
export type { DiscoveryCalls, KindName } from "./discovery/discovery.ts";
export type { DiscoveredKind } from "./discovery/resource.ts";
export type { ServerVersion } from "./discovery/version.ts";
export { ApiError, ForbiddenError, isApiError } from "./error/api-error.ts";
export type { ApiErrorInit } from "./error/api-error.ts";
export { formatRule } from "./error/attempt.ts";
export type { Attempt, PolicyRule, Verb } from "./error/attempt.ts";
export type { ApiErrorCode } from "./error/code.ts";
export { ConnectionError } from "./error/connection-error.ts";
export type { ConnectionErrorCode, ConnectionErrorInit } from "./error/connection-error.ts";
export { ConfigError } from "./error/config-error.ts";
export type { ConfigProblem } from "./error/config-error.ts";
export { systemClock } from "./host/clock.ts";
export type { Clock, Timer } from "./host/clock.ts";
export type { Command, CommandResult, Host } from "./host/host.ts";
export { processHost } from "./host/main.ts";
export { inClusterConfig } from "./kubeconfig/in-cluster.ts";
export { mergeKubeconfigs } from "./kubeconfig/kubeconfig.ts";
export type {
  Lazy,
  ClusterConfig,
  ClusterEntry,
  ContextEntry,
  ExecEntry,
  Impersonation,
  Kubeconfig,
  OidcEntry,
  Proof,
  Source,
  UserEntry,
  UserOrigin,
} from "./kubeconfig/kubeconfig.ts";
export { chooseContext, loadConfig, loadKubeconfig } from "./kubeconfig/load.ts";
export type { LoadOptions } from "./kubeconfig/load.ts";
export { parseKubeconfig } from "./kubeconfig/parse.ts";
export type { ConnectionLimits } from "./network/endpoint.ts";
export { UpgradeError } from "./network/upgrade-error.ts";
export type { PodCalls } from "./pod/calls.ts";
export type { AttachOptions, ExecOptions, ExecSession, Exit, Finished, Output } from "./pod/exec.ts";
export type { LogOptions, Logs } from "./pod/logs.ts";
export type { PortConnection, PortForwardOptions } from "./pod/port-forward.ts";
export type { ProxyResponse, ProxyOptions, ProxyTarget } from "./pod/proxy.ts";
export type { PodTarget } from "./pod/target.ts";
export { bodyOfBytes, bodyOfChunks } from "./transport/body.ts";
export { inProcess } from "./transport/in-process.ts";
export type { FetchHandler } from "./transport/in-process.ts";
export type {
  Body,
  MessageSocket,
  RequestHeaders,
  ResponseHeaders,
  SocketRequest,
  Transport,
  TransportRequest,
  TransportResponse,
} from "./transport/transport.ts";
export { initialEventsEnd, isInitialEventsEnd } from "./watch/event.ts";
export type { Bookmark, WatchEvent, WatchLine } from "./watch/event.ts";
export { MalformedJsonError } from "./watch/json-bytes.ts";
export { parseMetadata, scanMetadata, withComma } from "./watch/scan.ts";
export type { ByteRange, ScannedMetadata } from "./watch/scan.ts";
export type { WatchCalls } from "./watch/watch.ts";
