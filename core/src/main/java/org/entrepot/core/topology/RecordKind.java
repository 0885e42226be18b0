package org.entrepot.core.topology;

/** The numbers of the kinds of records: part of the stored format, never given anew. Stateless. */
final class RecordKind implements TopologyRecord.Visitor<Integer> {
    static final RecordKind OF = new RecordKind();

    static final int IDS_RESERVED = 1;
    static final int VIRTUAL_HOST_PUT = 2;
    static final int VIRTUAL_HOST_GONE = 3;
    static final int VIRTUAL_HOST_LIMITED = 4;
    static final int USER_PUT = 5;
    static final int USER_GONE = 6;
    static final int PERMISSIONS_SET = 7;
    static final int TOPIC_PERMISSIONS_SET = 8;
    static final int POLICY_PUT = 9;
    static final int POLICY_GONE = 10;
    static final int EXCHANGE_ADDED = 11;
    static final int EXCHANGE_GONE = 12;
    static final int QUEUE_ADDED = 13;
    static final int QUEUE_GONE = 14;
    static final int BOUND = 15;
    static final int UNBOUND = 16;
    static final int QUEUE_LIMITED = 17;

    private RecordKind() {}

    @Override
    public Integer idsReserved(TopologyRecord.IdsReserved fact) {
        return IDS_RESERVED;
    }

    @Override
    public Integer virtualHostPut(TopologyRecord.VirtualHostPut fact) {
        return VIRTUAL_HOST_PUT;
    }

    @Override
    public Integer virtualHostGone(TopologyRecord.VirtualHostGone fact) {
        return VIRTUAL_HOST_GONE;
    }

    @Override
    public Integer virtualHostLimited(TopologyRecord.VirtualHostLimited fact) {
        return VIRTUAL_HOST_LIMITED;
    }

    @Override
    public Integer userPut(TopologyRecord.UserPut fact) {
        return USER_PUT;
    }

    @Override
    public Integer userGone(TopologyRecord.UserGone fact) {
        return USER_GONE;
    }

    @Override
    public Integer permissionsSet(TopologyRecord.PermissionsSet fact) {
        return PERMISSIONS_SET;
    }

    @Override
    public Integer topicPermissionsSet(TopologyRecord.TopicPermissionsSet fact) {
        return TOPIC_PERMISSIONS_SET;
    }

    @Override
    public Integer policyPut(TopologyRecord.PolicyPut fact) {
        return POLICY_PUT;
    }

    @Override
    public Integer policyGone(TopologyRecord.PolicyGone fact) {
        return POLICY_GONE;
    }

    @Override
    public Integer exchangeAdded(TopologyRecord.ExchangeAdded fact) {
        return EXCHANGE_ADDED;
    }

    @Override
    public Integer exchangeGone(TopologyRecord.ExchangeGone fact) {
        return EXCHANGE_GONE;
    }

    @Override
    public Integer queueAdded(TopologyRecord.QueueAdded fact) {
        return QUEUE_ADDED;
    }

    @Override
    public Integer queueLimited(TopologyRecord.QueueLimited fact) {
        return QUEUE_LIMITED;
    }

    @Override
    public Integer queueGone(TopologyRecord.QueueGone fact) {
        return QUEUE_GONE;
    }

    @Override
    public Integer bound(TopologyRecord.Bound fact) {
        return BOUND;
    }

    @Override
    public Integer unbound(TopologyRecord.Unbound fact) {
        return UNBOUND;
    }
}
