/** What the API server said about an error, as OLM reports it: without what the client adds for its users. */
import { isApiError } from "@capstan/client";

/** The message of the server; that of the error if it comes from elsewhere. */
export function serverMessage(error: Error): string {
  return (isApiError(error) ? error.statusObject?.message : undefined) ?? error.message;
}
