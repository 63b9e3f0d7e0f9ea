/** What failures mean to the built-in controllers. */
import { isApiError } from "@capstan/client";
import type { Controller } from "@capstan/runtime";

/** Whether something could not be made because its namespace goes: then nobody needs it any more. */
export function isNamespaceTerminating(error: unknown): boolean {
  return isApiError(error, "Forbidden") && error.causes.some(({ reason }) => reason === "NamespaceTerminating");
}

/** The server's own words, for conditions and events; what the client adds for people who write programs is left out. */
export function serverMessage(error: unknown): string {
  if (isApiError(error) && error.statusObject?.message !== undefined) return error.statusObject.message;
  return error instanceof Error ? error.message : String(error);
}

/** The same controller, at peace with namespaces that go. */
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
