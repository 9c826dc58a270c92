import type { ServiceTexts } from './en.js';

/** English texts of the service in French, by their codes. */
export const serviceFr: ServiceTexts = {
  problems: {
    alertNotFound: 'Cette alerte n’existe pas.',
    alertTransition: 'L’état de l’alerte ne permet pas cette action.',
    analysisFailed: 'L’analyse a échoué. Les modèles présents de la source restent en vigueur.',
    bodyInvalid: 'Les données envoyées ne sont pas valides.',
    bodyTooSlow: 'L’envoi est trop lent.',
    calendarInvalid: 'Le calendrier n’est pas valide. Rien n’a été enregistré.',
    calendarRuleNotFound: 'Cette règle n’existe pas.',
    checkOutdated: 'Une autre comparaison a eu lieu entre-temps.',
    checkpointKeyMissing: 'Aucune clé ne signe les points de contrôle (réglage AUDIT_KEY_FILE).',
    contention: 'D’autres instances ont changé les mêmes données. Rien n’a été fait\u00a0; réessayez.',
    contentEncoding: 'Cette compression n’est pas acceptée.',
    credentialsInAddress: 'Un jeton dans l’adresse n’est pas accepté.',
    csvEmpty: 'Le fichier n’a aucune ligne de données.',
    csvInvalid: 'Le fichier a des erreurs. Rien n’a été enregistré.',
    cursorExpired: 'La suite de cette liste n’est plus gardée. Reprenez depuis le début.',
    dayNotFound: 'Aucun jour récent à cette date.',
    daysEmpty: 'Il n’y a aucun jour.',
    descriptionInvalid: 'La description de la source n’est pas valide.',
    duplicateField: 'Un champ figure deux fois.',
    elementTooLarge: 'Un jour est trop grand.',
    envelopeTooLarge: 'Il y a trop d’octets en dehors des jours.',
    eventNotFound: 'Cet événement n’existe pas.',
    firstCodeWrong: 'Le code est faux.',
    firstStartOver: 'Un premier jeton a déjà été émis.',
    gzipInvalid: 'Le fichier gzip n’est pas entier.',
    headersTooLarge: 'Les en-têtes de la requête sont trop longs.',
    historyTooLong: 'L’historique est trop long. Demandez une seule source, ou un moment antérieur.',
    importNotFound: 'Cet import n’existe pas.',
    importOutOfOrder: 'Les parties de l’import ne sont pas dans l’ordre.',
    incidentNotFound: 'Cet incident n’existe pas.',
    incidentTransition: 'L’état de l’incident ne permet pas cette action.',
    incidentsOutdated: 'Quelqu’un d’autre a décidé entre-temps. Relisez l’incident et réessayez.',
    internal: 'Erreur interne. Le journal du service en donne la raison.',
    jsonInvalid: 'Les jours ont des erreurs. Rien n’a été enregistré.',
    keyInUse: 'Cette demande est déjà en cours.',
    keyReused: 'Une autre demande a déjà cette clé.',
    keysUnavailable: 'Les clés qui vérifient les jetons sont inaccessibles. Réessayez plus tard.',
    linesRejected: 'Des lignes ont été refusées. Les autres sont enregistrées.',
    listTooLong: 'La liste est trop longue pour cet ordre. Filtrez-la, ou triez-la par date.',
    logDamaged: 'Le journal est endommagé. L’exploitant doit le vérifier et le restaurer.',
    logEmpty: 'Le journal est encore vide.',
    mediaType: 'Ce type de fichier n’est pas accepté.',
    methodNotAllowed: 'Cette méthode n’est pas permise ici.',
    modelNotFound: 'La source n’a pas ce modèle.',
    modelsCurrent: 'Ces modèles sont déjà en vigueur.',
    modelsInvalid: 'Les modèles ne sont pas valides.',
    modelsOutdated: 'Les modèles ont changé entre-temps. Relisez-les et réessayez.',
    modelsVersionNotFound: 'La source n’a jamais eu cette version des modèles.',
    muteInvalid: 'Cette sourdine n’est pas valide.',
    muteNotFound: 'Cette sourdine n’existe pas.',
    nesting: 'Les données ont trop de niveaux.',
    notCumulative: 'Les valeurs ne sont pas les relevés d’un compteur, qui montent toujours.',
    notFound: 'Rien à cette adresse.',
    notImplemented: 'Cette méthode n’existe pas.',
    outcomeUnknown: 'Le résultat est inconnu\u00a0: la demande a peut-être pris effet. Réessayez.',
    overtaken: 'Un apprentissage plus récent a remplacé celui-ci.',
    parametersInvalid: 'Les paramètres ne sont pas valides.',
    personNotFound: 'Personne n’a écrit sous ce nom.',
    queueFull: 'La file d’attente est pleine. Réessayez plus tard.',
    readModelsBehind: 'Les vues sont en retard sur le journal. Réessayez plus tard.',
    recentTooShort: 'La source n’a pas encore une année de jours récents.',
    referenceCollecting: 'La source recueille encore ses jours de référence.',
    referenceDayNotFound: 'La source n’a pas de jour de référence à cette date.',
    referenceTooShort: 'La référence a trop peu de jours entiers.',
    scopeMissing: 'Votre jeton ne permet pas cette action.',
    sourceExists: 'La source existe déjà.',
    sourceNameTaken: 'Une autre source porte ce nom.',
    sourceNotFound: 'Cette source n’existe pas.',
    sourceParked: 'Cette source est mise de côté\u00a0: un événement n’a pas pu être traité.',
    sourceRelearned: 'La source a déjà été apprise de nouveau, sous un autre numéro.',
    storageFull: 'Le disque est presque plein. Rien n’a été fait.',
    storeUnavailable: 'Le journal est inaccessible. Rien n’a été fait\u00a0; réessayez.',
    tokenInvalid: 'Le jeton n’est pas valable.',
    tokenMissing: 'Il faut un jeton.',
    tokenNotFound: 'Ce jeton n’existe pas.',
    tokenRequestInvalid: 'Le jeton demandé n’est pas valide.',
    tokenRevoked: 'Le jeton a été révoqué.',
    tokensOfProvider: 'Les jetons viennent du fournisseur d’identité. Adressez-vous à lui.',
    tooFewReferenceDays: 'Il resterait trop peu de jours de référence.',
    tooLarge: 'L’envoi est trop grand.',
    tooManyCalendarRules: 'Il y a trop de règles. Supprimez-en une.',
    tooManyMutes: 'Il y a trop de sourdines. Terminez-en une.',
    tooManyOverrides: 'Trop de jours sont planifiés à la main.',
    tooManySources: 'Il y a trop de sources. Archivez-en une.',
    tooManySpecialDays: 'La source a trop de jours particuliers.',
    tooManyTokens: 'Il y a trop de jetons. Révoquez-en un.',
    tooManyWebhooks: 'Il y a trop de destinataires. Supprimez-en un.',
    tooManyWrites: 'Trop d’envois attendent. Réessayez plus tard.',
    unparseable: 'La demande est illisible.',
    unreachable: 'Le service est injoignable. Réessayez.',
    webhookInvalid: 'Ce destinataire n’est pas valide.',
    webhookNotFound: 'Ce destinataire n’existe pas.',
  },
  faults: {
    acceptedFrom: 'La date n’est pas permise pour ce changement.',
    activityFormat: 'Il faut une liste de nombres.',
    activityLength: 'Le jour n’a pas le bon nombre de valeurs.',
    bareQuote: 'Un guillemet figure dans un champ. Doublez-le dans un champ entre guillemets.',
    beyondYear: 'Le fichier dépasse l’année de référence.',
    blankLine: 'Une ligne vide précède d’autres lignes, ou le fichier finit par trop de lignes vides.',
    calendarUnknown: 'Ce calendrier est inconnu.',
    columnCount: 'La ligne n’a pas le bon nombre de colonnes.',
    columnUnknown: 'Le fichier n’a pas cette colonne.',
    conflictingValue: 'Deux lignes ont la même heure et des valeurs différentes.',
    coordinates: 'La latitude et la longitude vont ensemble.',
    dateFormat: 'La date n’est pas lisible.',
    dayFormat: 'Il faut un jour avec sa date et ses valeurs.',
    duplicateDate: 'La date figure deux fois.',
    expires: 'La date d’expiration n’est pas permise.',
    explainedBy: 'Ces sources ne peuvent pas expliquer celle-ci.',
    feed: 'La série n’est pas valide.',
    feedTaken: 'Une autre source prend déjà cette série.',
    futureDate: 'La date est dans l’avenir.',
    interval: 'La durée n’est pas valide.',
    jsonBroken: 'Le JSON est incorrect.',
    labels: 'Il y a trop d’étiquettes.',
    lateness: 'Ce retard n’est pas permis.',
    lineTooLong: 'Une ligne ne finit pas.',
    minChange: 'Ce seuil n’est pas valide.',
    missingField: 'Un champ manque.',
    nameTaken: 'Ce nom est déjà pris.',
    notText: 'Le fichier n’est pas du texte.',
    notUtf8: 'Le fichier n’est pas en UTF-8.',
    optionMissing: 'Une option du destinataire manque.',
    outsideYear: 'La date n’est pas dans l’année de référence.',
    quietHoursEmpty: 'Les heures calmes commencent et finissent à la même heure.',
    quoteNotClosed: 'Un guillemet n’est jamais fermé.',
    skippedDate: 'Le fuseau horaire de la source saute cette date.',
    timeGoesBack: 'Les heures ne montent pas.',
    timeZoneUnknown: 'Ce fuseau horaire est inconnu.',
    timestampOffset: 'L’heure n’a pas d’écart avec UTC.',
    tooManyDays: 'Il y a trop de jours dans un import.',
    tooManyPoints: 'Il y a trop de points dans un import.',
    unknownField: 'Ce champ est inconnu.',
    valueFormat: 'La valeur n’est pas un nombre.',
    valueTooLarge: 'La valeur est trop grande.',
  },
  warnings: {
    clockShifted: {
      seen: 'Les jours semblent décalés d’une ou de plusieurs heures.',
      cure: 'Vérifiez le décalage horaire des heures. Importez des heures locales avec le fuseau de la source et clock=local.',
    },
    correctionsWait: {
      seen: 'Des corrections attendent\u00a0: elles sont prises une fois par intervalle.',
      cure: 'Rien à faire\u00a0: les points sont gardés et seront montrés au plus tard après un intervalle.',
    },
    counterJump: {
      seen: 'Le compteur fait un bond impossible.',
      cure: 'Corrigez le relevé, ou retirez les jours qui suivent, puis importez de nouveau.',
    },
    counterReset: {
      seen: 'Le compteur a été remis à zéro ou remplacé.',
      cure: 'Rien à faire\u00a0: l’intervalle reste sans quantité, car elle ne peut être connue.',
    },
    counterRollOver: {
      seen: 'Le compteur est reparti de zéro après son plus grand nombre.',
      cure: 'Rien à faire si le compteur a autant de chiffres\u00a0; sinon corrigez le relevé.',
    },
    dayMonthSwapped: {
      seen: 'Le jour et le mois semblent échangés.',
      cure: 'Écrivez les dates AAAA-MM-JJ, ou donnez dateFormat, importez de nouveau et retirez les mauvais jours.',
    },
    daysMissing: {
      seen: 'Des dates manquent.',
      cure: 'Importez ces dates si la source en a les données.',
    },
    duplicate: {
      seen: 'Des lignes se répètent avec la même valeur.',
      cure: 'Rien à faire si ce sont des copies\u00a0; sinon corrigez leurs heures.',
    },
    futureDays: {
      seen: 'Des jours sont dans l’avenir.',
      cure: 'Vérifiez l’année et l’ordre du jour et du mois, et retirez les mauvais jours.',
    },
    latePoint: {
      seen: 'Un point est arrivé après son intervalle.',
      cure: 'Rien à faire si tous les points de ces intervalles ont été envoyés\u00a0; sinon envoyez-les ensemble.',
    },
    lessThanAYear: {
      seen: 'La référence a moins d’une année.',
      cure: 'Faites apprendre la source de nouveau quand elle aura une année entière.',
    },
    localStamps: {
      seen: 'Les heures n’ont pas d’écart avec UTC, et une heure existe deux fois.',
      cure: 'Écrivez cet écart si l’ordre des lignes ne dit pas quelle heure est voulue.',
    },
    looksCumulative: {
      seen: 'Les valeurs montent comme les relevés d’un compteur.',
      cure: 'Si ce sont des relevés, importez-les dans une source avec aggregation=counter, qui en fait les différences.',
    },
    moreWarnings: {
      seen: 'Il y a d’autres avertissements.',
      cure: 'Corrigez ce que ceux de la liste ont en commun, puis importez de nouveau.',
    },
    notCumulative: {
      seen: 'Les valeurs baissent trop souvent pour être les relevés d’un compteur.',
      cure: 'Créez une source avec aggregation=sum pour des quantités, ou aggregation=mean pour des niveaux.',
    },
    oneRowADay: {
      seen: 'Les jours n’ont qu’une valeur.',
      cure: 'Importez les valeurs des heures de chaque jour\u00a0: un total n’a pas de profil à apprendre.',
    },
    repeatedBlock: {
      seen: 'Des jours ont exactement les valeurs d’autres jours.',
      cure: 'Cherchez à quelles dates ces valeurs appartiennent, et importez celles des autres dates.',
    },
    skippedHour: {
      seen: 'Une heure a des valeurs alors que l’horloge la saute.',
      cure: 'Vérifiez le fuseau horaire de la source, ou envoyez null pour cette heure.',
    },
    thousands: {
      seen: 'Les virgules ont été lues comme décimales.',
      cure: 'Importez de nouveau avec decimal=. si elles séparent les milliers.',
    },
    unitChanged: {
      seen: 'L’unité semble avoir changé.',
      cure: 'Convertissez les valeurs et importez-les de nouveau, ou faites apprendre la source de nouveau si l’unité reste.',
    },
  },
};

/** Reasons of the analysis why another source explains one or not: events contain these forms, so they stay. */
const learnedForms: readonly (readonly [form: RegExp, french: string])[] = [
  [/^it is archived$/, 'elle est archivée'],
  [/^it has the same value on all reference days$/, 'elle a la même valeur tous les jours de référence'],
  [
    /^it has a value on (\d+) of (\d+) ordinary reference days, expected at least (\d+)$/,
    'elle n’a une valeur que sur $1 des $2 jours de référence ordinaires, au lieu d’au moins $3',
  ],
  [
    /^the error on held-out days grows by ([\d.]+)\s%, expected a fall of at least ([\d.]+)\s%$/,
    'l’erreur sur les jours mis de côté augmente de $1\u00a0%, au lieu de baisser d’au moins $2\u00a0%',
  ],
  [
    /^the error on held-out days falls by ([\d.]+)\s%, expected a fall of at least ([\d.]+)\s%$/,
    'l’erreur sur les jours mis de côté ne baisse que de $1\u00a0%, au lieu d’au moins $2\u00a0%',
  ],
  [
    /^the error on held-out days falls by ([\d.]+)\s%$/,
    'l’erreur sur les jours mis de côté baisse de $1\u00a0%',
  ],
  [
    /^the error falls in ([\d.]+)\s% of the held-out blocks, expected at least ([\d.]+)\s%$/,
    'l’erreur ne baisse que dans $1\u00a0% des blocs mis de côté, au lieu d’au moins $2\u00a0%',
  ],
];

/** Such a reason in French; another text is shown as it is. */
export const learnedReason = (text: string): string => {
  const [form, french] = learnedForms.find(([known]) => known.test(text)) ?? [];
  if (form === undefined || french === undefined) return text;
  return text.replace(form, french).replaceAll(/(\d)\.(\d)/g, '$1,$2');
};

/** A sentence, and why: in French for a known code, else in the words of the service. */
export const said = (what: string, error: unknown): string => {
  const { code, message, errors } = error as {
    readonly code?: string;
    readonly message?: string;
    readonly errors?: readonly { readonly code: string; readonly detail: string }[];
  };
  const known = serviceFr.problems[code ?? ''];
  const text = known === undefined ? `${what}\u00a0: ${message ?? String(error)}` : `${what}. ${known}`;
  const [fault] = errors ?? [];
  return fault ? `${text} (${serviceFr.faults[fault.code] ?? fault.detail})` : text;
};
