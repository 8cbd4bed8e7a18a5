import { describe, expect, it } from 'vitest';
import { count, digits, exact, rate, several, share, size, time, unitOf, within } from '../src/units.ts';

describe('units', () => {
  it.each([
    [0, '0 s'],
    [1, '1 ps'],
    [999, '999 ps'],
    [1_000, '1 ns'],
    [999_600, '1 µs'],
    [12_304_000, '12.3 µs'],
    [34_900_000_000, '34.9 ms'],
    [999_940_000, '1 ms'],
    [2_000_000_000_000, '2 s'],
    [-5_000, '-5 ns'],
  ])('writes %d ps as %s', (ps, words) => expect(time(ps)).toBe(words));

  it('writes sizes in decimal units and rates in bits per second', () => {
    expect([size(0), size(64), size(1460), size(20_000), size(1.5e6)]).toEqual(['0 B', '64 B', '1.46 kB', '20 kB', '1.5 MB']);
    expect([rate(1e9), rate(40e9), rate(2.5e6), rate(0)]).toEqual(['1 Gbps', '40 Gbps', '2.5 Mbps', '0 bps']);
  });

  it('tells instants apart that are a nanosecond apart', () => {
    expect(exact(12_345_678_000)).toBe('12.345 678 ms');
    expect(exact(12_345_679_000)).toBe('12.345 679 ms');
    expect(exact(0)).toBe('0.000 000 ms');
    expect(exact(-1_000)).toBe('-0.000 001 ms');
  });

  it('has one unit for a column, by its largest value', () => {
    const unit = unitOf([1e6, 34.9e9, Infinity]);
    expect(unit.name).toBe('ms');
    expect(within(34.9e9, unit)).toBe('34.9');
    expect(within(1e6, unit)).toBe('0.001');
    expect(unitOf([], 'size').name).toBe('B');
    expect(unitOf([146_000], 'size').name).toBe('kB');
  });

  it('says what is no number with a dash, and counts whole', () => {
    expect([digits(NaN), time(Infinity)]).toEqual(['–', '–']);
    expect([count(1_234_567), several(1, 'packet'), several(0, 'query', 'queries')]).toEqual(['1,234,567', '1 packet', '0 queries']);
    expect([share(0.345), share(1)]).toEqual(['34.5 %', '100 %']);
  });
});
