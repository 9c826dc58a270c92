import type { Decider } from '../decider.js';
import { emptyKeyed } from '../keyed.js';
import type { AlertsCommand } from './alertsCommands.js';
import type { AlertsEvent } from './alertsEvents.js';
import { evolveAlerts, type AlertsState } from './alertsState.js';
import { recordCheck } from './recordCheck.js';
import { alertToMove, acknowledgeable, resolvable, alertsIn, reopenAlert } from './moveAlerts.js';

/** Rules of `alerts-{id}`: checks raise and invalidate alerts, people acknowledge, resolve and reopen them. */
export const alerts: Decider<AlertsCommand, AlertsEvent, AlertsState> = {
  initial: {
    checks: emptyKeyed,
    knowledge: { source: -1, days: -1 },
    checkCount: 0,
    sourceId: null,
    alerts: {},
    silenceId: null,
  },

  decide: (command, state) => {
    switch (command.type) {
      case 'RecordCheck':
        return recordCheck(command, state);
      case 'AcknowledgeAlert': {
        const { date } = alertToMove(command.alertId, state, 'acknowledged', acknowledgeable);
        return [{ type: 'AlertAcknowledged', data: { alertId: command.alertId, date } }];
      }
      case 'ResolveAlert': {
        const { date } = alertToMove(command.alertId, state, 'resolved', resolvable);
        const { alertId, verdict, comment } = command;
        return [{ type: 'AlertResolved', data: { alertId, date, verdict, comment } }];
      }
      case 'AcknowledgeAlerts':
        return alertsIn(command.alertIds, state, acknowledgeable).map(alert => ({
          type: 'AlertAcknowledged',
          data: alert,
        }));
      case 'ResolveAlerts': {
        const { verdict, comment } = command;
        return alertsIn(command.alertIds, state, resolvable).map(alert => ({
          type: 'AlertResolved',
          data: { ...alert, verdict, comment },
        }));
      }
      case 'ReopenAlert':
        return reopenAlert(command.alertId, state);
    }
  },

  evolve: evolveAlerts,
};
