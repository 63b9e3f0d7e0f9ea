/** The error for a rejected WebSocket upgrade. */

/** Thrown by transports; calls convert it into an `ApiError` that names the attempt. */
export class UpgradeError extends Error {
  override readonly name = "UpgradeError";
  readonly status: number;
  readonly body: string;

  constructor(status: number, body: string) {
    super(`the server answered ${status} instead of opening a socket`);
    this.status = status;
    this.body = body;
  }
}
