/** How the built-in controllers treat errors. */
import { isApiError } from "@capstan/client";
import type { Controller } from "@capstan/runtime";

/** Whether a create failed because its namespace is terminating. Controllers ignore this error. */
export function isNamespaceTerminating(error: unknown): boolean {
  return isApiError(error, "Forbidden") && error.causes.some(({ reason }) => reason === "NamespaceTerminating");
}

/** The server's message, for conditions and events, without the hints that the client adds. */
export function serverMessage(error: unknown): string {
  if (isApiError(error) && error.statusObject?.message !== undefined) return error.statusObject.message;
  return error instanceof Error ? error.message : String(error);
}

/** Wraps a controller so that it ignores errors of terminating namespaces. */
export function ignoreTerminatingNamespaces(controller: Controller): Controller {
  const { reconcile } = controller.handlers;
  const handlers: Controller["handlers"] = {
    ...controller.handlers,
    async reconcile(context) {
      try {
        return await reconcile(context);
      } catch (error) {
        if (!isNamespaceTerminating(error)) throw error;
        return undefined;
      }
    },
  };
  return { ...controller, handlers };
}
