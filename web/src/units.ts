/**
 * Numbers as people read them, with their units.
 *
 * Times come in picoseconds, sizes in bytes (1 kB = 1000 B, as everywhere in Sidestep), rates in bits per second. Three
 * significant digits, but for counts, which are whole, and `exact`, which hides nothing down to the nanosecond.
 */
import type { Ps } from './engine/api';

/** A unit of one column or axis: how its head is called, and how much of the base unit it is. */
export interface Unit {
  name: string;
  per: number;
}

const TIMES: readonly Unit[] = [
  { name: 'ps', per: 1 },
  { name: 'ns', per: 1e3 },
  { name: 'µs', per: 1e6 },
  { name: 'ms', per: 1e9 },
  { name: 's', per: 1e12 },
];
const SIZES: readonly Unit[] = [
  { name: 'B', per: 1 },
  { name: 'kB', per: 1e3 },
  { name: 'MB', per: 1e6 },
  { name: 'GB', per: 1e9 },
];
const RATES: readonly Unit[] = [
  { name: 'bps', per: 1 },
  { name: 'kbps', per: 1e3 },
  { name: 'Mbps', per: 1e6 },
  { name: 'Gbps', per: 1e9 },
  { name: 'Tbps', per: 1e12 },
];

/** `34.9 ms`; `0 s` of nothing. */
export function time(ps: Ps): string {
  return ps === 0 ? '0 s' : spoken(ps, TIMES);
}

/** `20 kB`, `1.46 kB`. */
export function size(bytes: number): string {
  return spoken(bytes, SIZES);
}

/** `1 Gbps`. */
export function rate(bps: number): string {
  return spoken(bps, RATES);
}

/** An instant to the nanosecond, in milliseconds: `12.345 678 ms`, in groups of three so that digits can be compared. */
export function exact(ps: Ps): string {
  const ns = Math.round(ps / 1e3);
  const [whole, part] = [Math.trunc(ns / 1e6), Math.abs(ns % 1e6).toString().padStart(6, '0')];
  return `${ns < 0 && whole === 0 ? '-' : ''}${whole}.${part.slice(0, 3)} ${part.slice(3)} ms`;
}

/** `1,234`. */
export function count(n: number): string {
  return Math.round(n).toLocaleString('en-US');
}

/** `1 packet`, `3 packets`. */
export function several(n: number, noun: string, plural = `${noun}s`): string {
  return `${count(n)} ${n === 1 ? noun : plural}`;
}

/** `35 %`. */
export function share(part: number): string {
  return `${digits(part * 100)} %`;
}

/** `5.2 times as long`: how much longer `a` is than `b`. */
export function times(a: number, b: number): string {
  return `${digits(a / b)} times`;
}

/** The unit in which the largest of `values` has one to three digits before the point. */
export function unitOf(values: Iterable<number>, kind: 'time' | 'size' | 'rate' = 'time'): Unit {
  let most = 0;
  for (const value of values) if (Number.isFinite(value)) most = Math.max(most, Math.abs(value));
  return fitting(most, kind === 'time' ? TIMES : kind === 'size' ? SIZES : RATES);
}

/** A value in a column whose head names `unit`: digits alone. */
export function within(value: number, unit: Unit): string {
  return digits(value / unit.per);
}

/** Three significant digits, without zeros at the end; whole numbers from a thousand on. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 999.5) return count(value);
  return String(Number(value.toPrecision(3)));
}

function spoken(value: number, units: readonly Unit[]): string {
  if (!Number.isFinite(value)) return '–';
  const unit = fitting(Math.abs(value), units);
  return `${within(value, unit)} ${unit.name}`;
}

/** The largest unit of which `value` is at least one, after rounding to three digits: 999.9 ns is 1 µs. */
function fitting(value: number, units: readonly Unit[]): Unit {
  let best = units[0] as Unit;
  for (const unit of units) if (Number((value / unit.per).toPrecision(3)) >= 1) best = unit;
  return best;
}
