/** The embedded API server: a Request to Response function over a versioned store. */
export { administrator, startApiServer } from "./server.ts";
export type { ApiServer } from "./server.ts";
export type { ApiServerOptions } from "./options.ts";
export { toKubeconfig } from "./kubeconfig.ts";
export type { Patience } from "./serve/patience.ts";
export { ServiceRangeError } from "./service-ranges.ts";
export { DataFolderError } from "./store/data-folder-error.ts";
export type { DataFolderErrorCode } from "./store/data-folder-error.ts";
export { checkDataFolder, isSound, repairDataFolder } from "./store/fsck.ts";
export type { DamagedObject, FolderReport, Repair } from "./store/fsck.ts";
export type { ServiceRangeErrorCode } from "./service-ranges.ts";
export { systemClock, systemStopwatch } from "./clock.ts";
export type { Clock, Stopwatch, Timer } from "./clock.ts";
export { describeLongTurn, longTurn } from "./turn/turn-watch.ts";
export type { LongTurn, TurnWork } from "./turn/turn-watch.ts";
export type { Answer, AnswerBody, AnswerHeaders, LiveBody, Sink } from "./answer.ts";
export type { Call, Headers } from "./call.ts";
export type { Randomness, ServerParts } from "./parts.ts";
export type { UserInfo } from "./authenticate/user.ts";
export type {
  ContainerRequest,
  KubeletApiRequest,
  NodeConnector,
  NodeRequest,
  PodKey,
  PodProxyRequest,
  PortForwardRequest,
} from "./builtin/rules.ts";
export type { Lookup, ResourceName, Writer } from "./builtin/context.ts";
export { admissionSteps, bareAdmissionSteps } from "./admit/index.ts";
export type { AuthorizationMode } from "./authorize/modes.ts";
export type { AdmissionContext, AdmissionRequest, AdmissionStep, Operation } from "./admit/admission.ts";
export type { HistoryLimits, Snapshot } from "./store/store.ts";
export { openAuditLog } from "./audit/log.ts";
export type { AuditLog } from "./audit/log.ts";
export type { AuditEvent, AuditReference, AuditStage, AuditStatus, AuditUser } from "./audit/event.ts";
export { ResponseLostError } from "./testing/observe.ts";
export type { Fault, FaultPlan, LoggedRequest, Observer } from "./testing/observe.ts";
export { openHttpCaller } from "./outgoing/http-caller.ts";
export type { HttpCaller } from "./outgoing/http-caller.ts";
export { OutgoingError } from "./outgoing/outgoing.ts";
export type {
  Dial,
  Endpoint,
  OutgoingAnswer,
  OutgoingCall,
  OutgoingCaller,
  OutgoingErrorCode,
  ServiceResolver,
} from "./outgoing/outgoing.ts";
