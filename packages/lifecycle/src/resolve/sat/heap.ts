/** A heap of variables by activity: the variable of the most recent conflicts comes first. */

/** Orders numbered variables by a changing activity; equal activities keep the order of the numbers. */
export class ActivityHeap {
  private readonly items: number[] = [];
  private readonly places: number[] = [];
  private readonly activity: number[] = [];
  private step = 1;

  /** Adds the variable with the next number. */
  add(): void {
    const variable = this.activity.length;
    this.activity.push(0);
    this.places.push(-1);
    this.push(variable);
  }

  push(variable: number): void {
    if (this.placeOf(variable) !== -1) return;
    this.items.push(variable);
    this.places[variable] = this.items.length - 1;
    this.rise(this.items.length - 1);
  }

  pop(): number | undefined {
    const [first] = this.items;
    const last = this.items.pop();
    if (first === undefined || last === undefined) return undefined;
    this.places[first] = -1;
    if (first !== last) {
      this.put(last, 0);
      this.sink(0);
    }
    return first;
  }

  bump(variable: number): void {
    this.activity[variable] = this.activityOf(variable) + this.step;
    if (this.activityOf(variable) > 1e100) this.rescale();
    const place = this.placeOf(variable);
    if (place !== -1) this.rise(place);
  }

  /** Later bumps count more than earlier ones. */
  decay(): void {
    this.step /= 0.95;
  }

  private rescale(): void {
    for (const [variable, value] of this.activity.entries()) this.activity[variable] = value * 1e-100;
    this.step *= 1e-100;
  }

  private placeOf(variable: number): number {
    return this.places[variable] ?? -1;
  }

  private activityOf(variable: number): number {
    return this.activity[variable] ?? 0;
  }

  private itemAt(place: number): number {
    return this.items[place] ?? 0;
  }

  private put(variable: number, place: number): void {
    this.items[place] = variable;
    this.places[variable] = place;
  }

  private isBefore(a: number, b: number): boolean {
    const order = this.activityOf(a) - this.activityOf(b);
    return order > 0 || (order === 0 && a < b);
  }

  private rise(start: number): void {
    const variable = this.itemAt(start);
    let place = start;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!this.isBefore(variable, this.itemAt(parent))) break;
      this.put(this.itemAt(parent), place);
      place = parent;
    }
    this.put(variable, place);
  }

  private sink(start: number): void {
    const variable = this.itemAt(start);
    let place = start;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= this.items.length) break;
      if (child + 1 < this.items.length && this.isBefore(this.itemAt(child + 1), this.itemAt(child))) child++;
      if (!this.isBefore(this.itemAt(child), variable)) break;
      this.put(this.itemAt(child), place);
      place = child;
    }
    this.put(variable, place);
  }
}
