import { fireEvent, render, screen, within } from '@testing-library/svelte';
import axe from 'axe-core';
import { describe, expect, it, vi } from 'vitest';
import Distributions from '../src/panels/Distributions.svelte';
import FlowPanel from '../src/panels/FlowPanel.svelte';
import PacketPanel from '../src/panels/PacketPanel.svelte';
import QueryPanel from '../src/panels/QueryPanel.svelte';
import SwitchPanel from '../src/panels/SwitchPanel.svelte';
import type { PanelProps, Selection } from '../src/panels/sides';
import { fake, US } from './panels-fake';

function given(selection: Selection = {}): PanelProps {
  return {
    sides: [
      { name: 'dctcp', player: fake() },
      { name: 'dibs', player: fake({ scheme: 'dibs', slow: false }) },
    ],
    selection,
    at: 0,
    jump: vi.fn<PanelProps['jump']>(),
    select: vi.fn<PanelProps['select']>(),
  };
}

async function sound(): Promise<void> {
  const found = await axe.run(document.body, { rules: { 'color-contrast': { enabled: false }, region: { enabled: false }, 'heading-order': { enabled: false } } });
  expect(found.violations.map((one) => `${one.id}: ${one.nodes[0]?.html}`)).toEqual([]);
}

describe('the query panel', () => {
  it('says of both recordings why, and how they compare', async () => {
    render(QueryPanel, given());
    expect(screen.getByText(/lost a packet at edge 0 and waited 10 ms/)).toBeTruthy();
    expect(screen.getByText(/two detours cost it 500 µs/)).toBeTruthy();
    expect(screen.getByRole('img', { name: /^dctcp: .*timeout 10 ms/ })).toBeTruthy();
    await sound();
  });

  it('goes to the drop that the timeout followed from, with its packet', async () => {
    const props = given();
    render(QueryPanel, props);
    await fireEvent.click(screen.getByRole('button', { name: /Go to what made it slow, dctcp/ }));
    expect(props.jump).toHaveBeenCalledWith(200 * US, expect.objectContaining({ query: 3, flow: 2, packet: 7, side: 0 }));
  });

  it('goes to each part from its table', async () => {
    const props = given();
    render(QueryPanel, props);
    const table = screen.getByRole('group', { name: /Where the time of query 3 went, dctcp/ });
    expect(within(table).getByRole('columnheader', { name: 'took, ms' })).toBeTruthy();
    await fireEvent.click(within(table).getByRole('button', { name: 'Go to 0.200 000 ms: timeout' }));
    expect(props.jump).toHaveBeenCalledWith(200 * US, expect.objectContaining({ flow: 2 }));
  });

  it('says that there are no queries', () => {
    render(QueryPanel, { ...given(), sides: [{ name: 'x', player: fake({ queries: false }) }] });
    expect(screen.getByText(/has no queries/)).toBeTruthy();
  });

  it('says what a recording cannot answer, beside the other one', () => {
    render(QueryPanel, { ...given(), sides: [{ name: 'a', player: fake() }, { name: 'b', player: fake({ queries: false }) }] });
    expect(screen.getByText(/query 3 is not in the recording/)).toBeTruthy();
    expect(screen.getByText(/lost a packet/)).toBeTruthy();
  });
});

describe('the packet panel', () => {
  it('tells a packet that was dropped, hop by hop', async () => {
    const props = given({ packet: 7, side: 0 });
    render(PacketPanel, props);
    expect(screen.getByText(/^Dropped after 100 µs|Dropped/)).toBeTruthy();
    expect(screen.getByText(/edge 0 drops it: the queue to host 0 holds 100 of 100/)).toBeTruthy();
    expect(screen.getByRole('img', { name: /path of packet 7: 2 hops, 0 detours, dropped/ })).toBeTruthy();
    await fireEvent.click(screen.getByRole('button', { name: '0.200 000 ms' }));
    expect(props.jump).toHaveBeenCalledWith(200 * US, expect.objectContaining({ packet: 7 }));
    await sound();
  });

  it('shows the detours of the same number in the other recording, with what it wanted instead', () => {
    render(PacketPanel, given({ packet: 7, side: 1 }));
    expect(screen.getByRole('img', { name: /7 hops, 2 detours, delivered/ })).toBeTruthy();
    expect(screen.getAllByText('instead of host 0')).toHaveLength(2);
  });

  it('goes to the packets before and after it in its flow', async () => {
    const props = given({ packet: 7, side: 0 });
    render(PacketPanel, props);
    expect(screen.getByText('2 of 3')).toBeTruthy();
    await fireEvent.click(screen.getByRole('button', { name: /Previous/ }));
    expect(props.jump).toHaveBeenLastCalledWith(100 * US, expect.objectContaining({ packet: 5 }));
    await fireEvent.click(screen.getByRole('button', { name: /Next/ }));
    expect(props.jump).toHaveBeenLastCalledWith(100 * US, expect.objectContaining({ packet: 8 }));
  });

  it('has no neighbours for a packet that its flow did not send as data', () => {
    render(PacketPanel, given({ packet: 6 }));
    expect(screen.getByRole('button', { name: /Previous/ })).toHaveProperty('disabled', true);
  });

  it('says what is wrong with a packet that is not there, and what to do without one', () => {
    const { unmount } = render(PacketPanel, given({ packet: 99 }));
    expect(screen.getByRole('alert').textContent).toContain('packet 99 is not in the recording');
    unmount();
    render(PacketPanel, given());
    expect(screen.getByText(/Choose a packet/)).toBeTruthy();
  });
});

describe('the flow panel', () => {
  it('counts what happened to a flow in both recordings', async () => {
    render(FlowPanel, given({ flow: 2 }));
    const slow = screen.getByRole('region', { name: 'Flow 2, dctcp' });
    expect(slow.textContent).toMatch(/3 packets sent, 1 retransmission, 1 mark,\s+1 drop, 1 timeout/);
    expect(screen.getByRole('region', { name: 'Flow 2, dibs' }).textContent).toContain('0 drops');
    await sound();
  });

  it('has a table beside the chart, whose rows go to their instants and packets', async () => {
    const props = given({ flow: 2 });
    render(FlowPanel, props);
    const slow = screen.getByRole('region', { name: 'Flow 2, dctcp' });
    await fireEvent.click(within(slow).getByRole('button', { name: 'Table of Sequence' }));
    await fireEvent.click(within(slow).getByRole('button', { name: /0.200 000 ms: dropped/ }));
    expect(props.jump).toHaveBeenCalledWith(200 * US, expect.objectContaining({ packet: 7, side: 0 }));
    expect(within(slow).getByRole('columnheader', { name: 'sequence, kB' })).toBeTruthy();
  });

  it('asks for a flow when none is chosen', () => {
    render(FlowPanel, given());
    expect(screen.getByText(/Choose a flow by its number/)).toBeTruthy();
  });
});

describe('the switch panel', () => {
  it("begins with the switch of the query's target", async () => {
    render(SwitchPanel, given({ query: 3 }));
    expect(screen.getByRole('region', { name: 'Queues of edge 0, dctcp' }).textContent).toContain('0 detours, 15 drops');
    expect(screen.getByRole('region', { name: 'Queues of edge 0, dibs' }).textContent).toContain('12 detours, 0 drops');
    await sound();
  });

  it('lets a port be chosen', async () => {
    const props = given({ node: 4, port: 1 });
    render(SwitchPanel, props);
    expect((screen.getByRole('combobox', { name: 'Port' }) as HTMLSelectElement).selectedOptions[0]?.textContent).toBe('to host 0');
    await fireEvent.change(screen.getByRole('combobox', { name: 'Port' }), { target: { value: '3' } });
    expect(props.select).toHaveBeenCalledWith(expect.objectContaining({ node: 4, port: 3 }));
  });

  it('shows the whole recording when asked to', async () => {
    render(SwitchPanel, given({ query: 3 }));
    await fireEvent.change(screen.getByRole('combobox', { name: 'Time' }), { target: { value: 'all' } });
    expect(screen.getAllByText(/in 15 ms/)).toHaveLength(2);
  });
});

describe('distributions', () => {
  const summary = { seeds: [1, 2, 3], schemes: { dctcp: { qct_ms: { p50: 14.1, p99: 34.9, ci: [34.8, 35.1], n: 300, completed_share: 1 } } } };

  it('draw each metric, and the result with its interval', async () => {
    const { sides } = given();
    render(Distributions, { sides, summary, showQuery: vi.fn(), showFlow: vi.fn() });
    for (const name of [/^Query completion time/, /^Flow completion time/, /^Slowdown of flows/, /^Detours of/]) expect(screen.getByRole('img', { name })).toBeTruthy();
    const result = screen.getByRole('group', { name: 'The whole result, over 3 seeds' });
    expect(result.textContent).toContain('34.8 ms to 35.1 ms');
    await sound();
  });

  it('open the slowest query', async () => {
    const showQuery = vi.fn();
    render(Distributions, { sides: given().sides, showQuery, showFlow: vi.fn() });
    await fireEvent.click(screen.getByRole('button', { name: 'Show what made query 3 slow' }));
    expect(showQuery).toHaveBeenCalledWith(3);
    expect(screen.getByRole('group', { name: /Queries, by their time with dctcp/ }).textContent).toContain(`6.13`);
  });

  it('do without queries and without a result', () => {
    render(Distributions, { sides: [{ name: 'x', player: fake({ queries: false }) }], summary: 'nonsense', showQuery: vi.fn(), showFlow: vi.fn() });
    expect(screen.getByText('No queries under way in the recording are complete.')).toBeTruthy();
    expect(screen.queryByText(/The result/)).toBeNull();
  });
});

