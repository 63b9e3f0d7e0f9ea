/** Connects the context of a reconcile with the record of its decisions. */

/** The recorder of each context. */
const recorders = new WeakMap<object, (decision: string) => void>();

/** Lets the reconcile of a context record decisions. */
export function onDecision(context: object, record: (decision: string) => void): void {
  recorders.set(context, record);
}

/** Records the decision of a reconcile, for explanations. A plan ends here: it reports the decision and does not act. */
export function noteDecision(context: object, decision: string): void {
  recorders.get(context)?.(decision);
}
